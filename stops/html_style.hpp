#pragma once

#include <string_view>

namespace robot_council::stops {

// The page's style. All words are HTML and all drawings are stretched shapes without words, so that
// nothing shrinks on a phone. Colours are named once for light, dark and paper.
inline constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;
--paper:#f7f4ed;--card:#fffdf8;--ink:#20211f;--soft:#66645d;--rule:#ddd7c9;--faint:#ece7db;
--go:#1c7468;--go-soft:#a9d3ca;--else:#bb5a34;--else-soft:#ecc2ab;--quiet:#bfb9aa}
@media (prefers-color-scheme:dark){:root{
--paper:#141618;--card:#1b1e21;--ink:#ebe7de;--soft:#a09c92;--rule:#33373b;--faint:#25292d;
--go:#5cc0ae;--go-soft:#2b5f57;--else:#e58f66;--else-soft:#6f4433;--quiet:#5b6067}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif}
.page{max-width:60rem;margin:0 auto;padding:3rem 1.5rem 4rem}
h1,h2,.figure b{font-family:"Iowan Old Style","Palatino Linotype",Palatino,"Noto Serif","DejaVu Serif",Georgia,serif;
font-weight:600;letter-spacing:-.012em}
h1{font-size:clamp(1.9rem,5.5vw,2.9rem);line-height:1.1;margin:.35rem 0 .8rem;max-width:18em;text-wrap:balance}
h2{font-size:1.45rem;line-height:1.2;margin:0 0 .3rem}
h3{font-size:.8rem;font-weight:600;letter-spacing:.06em;text-transform:uppercase;color:var(--soft);margin:0 0 .7rem}
p{margin:.3rem 0 .9rem;max-width:42em}
.brand{font-size:.8rem;letter-spacing:.09em;text-transform:uppercase;color:var(--soft);margin:0}
.facts{display:flex;flex-wrap:wrap;gap:.15rem 1.4rem;margin:0;padding:0;list-style:none;color:var(--soft);font-size:.9rem}
.facts b{color:var(--ink);font-weight:600}
.stack+.scroll{margin-top:1rem}
.path,code{font-family:ui-monospace,"Cascadia Code","DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.86em;overflow-wrap:anywhere}
section{border-top:1px solid var(--rule);padding:1.9rem 0 1.4rem;margin-top:1.6rem}
.note{color:var(--soft);font-size:.9rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1rem;margin:1.3rem 0 1.6rem}
.figure{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:1.1rem 1.2rem 1rem}
.figure b{display:block;font-size:2.7rem;line-height:1;margin-bottom:.45rem;font-variant-numeric:lining-nums}
.figure b small{font-size:1.25rem;font-weight:500;color:var(--soft);letter-spacing:0}
.figure p{margin:0 0 .8rem;font-size:.95rem;line-height:1.42}
.scale{display:flex;justify-content:space-between;color:var(--soft);font-size:.74rem;font-variant-numeric:tabular-nums}
svg{display:block;width:100%;overflow:visible}
.strip{height:14px}.bar{height:12px;min-width:4rem}.stack{height:26px;border-radius:5px;overflow:hidden}
.go{fill:var(--go)}.go-soft{fill:var(--go-soft)}.else{fill:var(--else)}.else-soft{fill:var(--else-soft)}
.ink{fill:var(--ink)}.quiet{fill:var(--quiet)}.faint{fill:var(--faint)}.bars{fill:var(--quiet);opacity:.55}
.line{fill:none;stroke-width:2.2;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
.dot{fill:none;stroke-width:8;vector-effect:non-scaling-stroke;stroke-linecap:round}
.s-go{stroke:var(--go)}.s-ink{stroke:var(--ink)}.s-else{stroke:var(--else)}
.grid{stroke:var(--rule);stroke-width:1;vector-effect:non-scaling-stroke}
.split{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.12fr);gap:1.8rem;align-items:center}
.mosaic{position:relative;height:15.5rem;border-radius:8px;overflow:hidden}
.mosaic svg{height:100%}
.mosaic span{position:absolute;padding:.5rem .65rem;font-size:.8rem;line-height:1.2;color:var(--ink)}
.mosaic span b{display:block;font-size:1.25rem}
.mosaic .strong{color:var(--card)}
.scroll{overflow-x:auto}.chart+.scale{margin-bottom:1.1rem}code{white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums lining-nums}
caption{text-align:left;color:var(--soft);font-size:.85rem;padding-bottom:.4rem}
th,td{padding:.42rem .8rem .42rem 0;text-align:left;border-bottom:1px solid var(--faint);vertical-align:middle}
thead th{font-size:.78rem;font-weight:600;color:var(--soft);border-bottom:1px solid var(--rule);vertical-align:bottom}
tbody th{font-weight:500;white-space:nowrap}.wide tbody th{white-space:normal}
td.n,th.n{text-align:right;padding-right:.2rem;padding-left:.8rem;white-space:nowrap}
.plot tbody th{width:10.5rem}.wide tbody th{width:17rem}
td.w{padding-left:.9rem}
tr.sum th,tr.sum td{border-bottom:0;font-weight:600}
.chart{position:relative;height:13rem;margin:0 0 .3rem 2.6rem}
.chart svg{height:100%}
.chart i{position:absolute;left:-2.6rem;width:2.2rem;text-align:right;font-style:normal;white-space:nowrap;font-size:.74rem;color:var(--soft);transform:translateY(-50%)}
.under{margin-left:2.6rem}
.key{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;font-size:.84rem;color:var(--soft);margin:.2rem 0 1rem;padding:0;list-style:none}
svg.swatch{display:inline-block;width:.85rem;height:.85rem;margin-right:.4rem;vertical-align:-.1em;border-radius:3px}
.few{background:var(--faint);border-radius:8px;padding:.9rem 1.1rem;margin:1.1rem 0 1.4rem}
footer{border-top:1px solid var(--rule);margin-top:1.6rem;padding-top:1.2rem;color:var(--soft);font-size:.86rem}
@media (max-width:54rem){.split{grid-template-columns:minmax(0,1fr);gap:1.2rem}}
@media (max-width:44rem){
.page{padding:1.6rem 1.05rem 2.5rem}
section{padding-top:1.4rem}.mosaic{height:13rem}
th,td{padding-right:.5rem}.plot tbody th,.wide tbody th{width:38%}td.w{padding-left:.5rem}.bar{min-width:3rem}}
@media print{
:root{--paper:#fff;--card:#fff;--ink:#111;--soft:#555;--rule:#ccc;--faint:#e9e9e9;
--go:#1c7468;--go-soft:#a9d3ca;--else:#bb5a34;--else-soft:#ecc2ab;--quiet:#bbb;color-scheme:light}
body{font-size:10.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.page{max-width:none;padding:0}section{margin-top:1rem;padding:1rem 0 .4rem}
.figure,.mosaic,.chart,tr,.few{break-inside:avoid}h2,h3,caption{break-after:avoid}
.cards{grid-template-columns:repeat(3,1fr)}.split{grid-template-columns:minmax(0,1fr) minmax(0,1.6fr);gap:1.4rem}
.scroll{overflow:visible}table{font-size:9.5pt}th,td{padding:.28rem .5rem .28rem 0}td.n,th.n{padding-left:.3rem}.mosaic{height:11rem}
.figure{padding:.8rem .9rem}.figure b{font-size:1.9rem}.figure b small{font-size:1rem}
@page{margin:16mm 15mm}}
)css";

}  // namespace robot_council::stops
