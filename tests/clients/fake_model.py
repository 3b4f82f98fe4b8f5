"""A model that is a script: answers the wire formats of three vendors on loopback, so that real agent clients can be driven.

A turn is {"text": ..., "tools": [{"name", "input", "namespace"?}], "before": callable?}. A request that carries no tools is a side call
(a title, a quota check): it is answered and uses no turn. When the script is used up the answer is SCRIPT-EXHAUSTED.
Instead of a list, `turns` may be a function of the request's body: for clients whose requests come in no fixed order.
"""
import http.server
import itertools
import json
import threading
import time


def smallest(schema):
    """The smallest JSON that fits a schema, for side calls that ask for structured output."""
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type", "")
    kind = (kind[0] if isinstance(kind, list) and kind else str(kind)).lower()
    if kind == "object":
        return {key: smallest(value) for key, value in schema.get("properties", {}).items()}
    return {"string": "x", "number": 0, "integer": schema.get("minimum", 0), "boolean": False, "array": []}.get(kind)


class FakeModel:
    """Starts on a free port; `requests` holds every body that used a turn, in order."""

    def __init__(self, turns):
        self.turns = turns if callable(turns) else list(turns)
        self.requests = []
        self.times = []  # time.monotonic() of each of them
        self.side_calls = 0
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self._send(200, "application/json", b"")

            def do_GET(self):
                self._send(200, "application/json", b"{}")

            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                try:
                    body = json.loads(raw or b"{}")
                except ValueError:
                    self._send(400, "application/json", b"{}")
                    return
                kind, data = model.answer(self.path, body)
                self._send(200, kind, data)

            def _send(self, status, kind, data):
                try:
                    self.send_response(status)
                    self.send_header("content-type", kind)
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    if self.command != "HEAD":
                        self.wfile.write(data)
                except OSError:
                    pass  # the client hung up

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _id(self, prefix):
        return f"{prefix}_{next(self._ids):06d}"

    def _turn(self, body):
        if not body.get("tools"):
            with self._lock:
                self.side_calls += 1
            schema = ((body.get("generationConfig") or {}).get("responseJsonSchema")
                      or ((body.get("output_config") or {}).get("format") or {}).get("schema")
                      or ((body.get("text") or {}).get("format") or {}).get("schema"))
            return {"text": json.dumps(smallest(schema)) if schema else "side"}
        with self._lock:
            self.requests.append(body)
            self.times.append(time.monotonic())
            if callable(self.turns):
                turn = self.turns(body)
            else:
                turn = self.turns.pop(0) if self.turns else {"text": "SCRIPT-EXHAUSTED"}
        if "before" in turn:
            turn["before"]()
        return turn

    def answer(self, path, body):
        path = path.split("?")[0]
        if path.endswith("/count_tokens"):
            return "application/json", b'{"input_tokens":10}'
        if path.endswith("/messages"):
            return self._anthropic(body, self._turn(body))
        if path.endswith("/responses"):
            return self._responses(body, self._turn(body))
        if path.endswith("/chat/completions"):
            return self._chat(body, self._turn(body))
        if "generateContent" in path or "streamGenerateContent" in path:
            return self._gemini(self._turn(body), "stream" in path)
        if path.endswith(":countTokens"):
            return "application/json", b'{"totalTokens":10}'
        return "application/json", b"{}"

    @staticmethod
    def _sse(events):
        return "text/event-stream", "".join(
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events).encode()

    def _anthropic(self, body, turn):
        content = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
        content += [{"type": "tool_use", "id": self._id("toolu"), "name": tool["name"], "input": tool.get("input", {})}
                    for tool in turn.get("tools", [])]
        stop = "tool_use" if turn.get("tools") else "end_turn"
        message = {"id": self._id("msg"), "type": "message", "role": "assistant", "model": body.get("model"), "content": content,
                   "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 5}}
        if not body.get("stream"):
            return "application/json", json.dumps(message).encode()
        events = [("message_start", {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}})]
        for index, block in enumerate(content):
            text = block["type"] == "text"
            start = {"type": "text", "text": ""} if text else {**block, "input": {}}
            delta = ({"type": "text_delta", "text": block["text"]} if text
                     else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])})
            events += [("content_block_start", {"type": "content_block_start", "index": index, "content_block": start}),
                       ("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}),
                       ("content_block_stop", {"type": "content_block_stop", "index": index})]
        events += [("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                                      "usage": {"output_tokens": 5}}),
                   ("message_stop", {"type": "message_stop"})]
        return self._sse(events)

    def _responses(self, body, turn):
        output = []
        if turn.get("text"):
            output.append({"type": "message", "id": self._id("msg"), "role": "assistant", "status": "completed",
                           "content": [{"type": "output_text", "text": turn["text"], "annotations": []}]})
        for tool in turn.get("tools", []):
            call = {"type": "function_call", "id": self._id("fc"), "call_id": self._id("call"), "name": tool["name"],
                    "arguments": json.dumps(tool.get("input", {})), "status": "completed"}
            if "namespace" in tool:
                call["namespace"] = tool["namespace"]
            output.append(call)
        response = {"id": self._id("resp"), "object": "response", "created_at": 1796000000, "model": body.get("model"),
                    "status": "completed", "output": output,
                    "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 5,
                              "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 15}}
        events = [("response.created", {"type": "response.created",
                                        "response": {**response, "status": "in_progress", "output": [], "usage": None}})]
        for index, item in enumerate(output):
            events += [("response.output_item.added", {"type": "response.output_item.added", "output_index": index, "item": item}),
                       ("response.output_item.done", {"type": "response.output_item.done", "output_index": index, "item": item})]
        events.append(("response.completed", {"type": "response.completed", "response": response}))
        return self._sse(events)

    def _chat(self, body, turn):
        calls = [{"index": index, "id": self._id("call"), "type": "function",
                  "function": {"name": tool["name"], "arguments": json.dumps(tool.get("input", {}))}}
                 for index, tool in enumerate(turn.get("tools", []))]
        message = {"role": "assistant", "content": turn.get("text"), **({"tool_calls": calls} if calls else {})}
        finish = "tool_calls" if calls else "stop"
        head = {"id": self._id("chatcmpl"), "created": 1796000000, "model": body.get("model")}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        if not body.get("stream"):
            return "application/json", json.dumps({**head, "object": "chat.completion", "usage": usage, "choices": [
                {"index": 0, "message": message, "finish_reason": finish}]}).encode()
        chunk = {**head, "object": "chat.completion.chunk"}
        kind, data = self._sse([(None, {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
                                (None, {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], "usage": usage})])
        return kind, data + b"data: [DONE]\n\n"

    def _gemini(self, turn, stream):
        parts = [{"text": turn["text"]}] if turn.get("text") else []
        parts += [{"functionCall": {"name": tool["name"], "args": tool.get("input", {})}} for tool in turn.get("tools", [])]
        answer = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                  "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}, "modelVersion": "script"}
        if stream:
            return self._sse([(None, answer)])
        return "application/json", json.dumps(answer).encode()
