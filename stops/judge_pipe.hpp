#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "stops/judge.hpp"

namespace robot_council::stops {

// Between the recorder and `robot-council-net stops judge`, its child: one JSON object each way,
// the request on stdin until its end, the reply on stdout. The key is only in here: in no argument
// and no environment. The child exits 0 when it wrote a reply, an error included; anything else is
// `unavailable` to the recorder.
//
//   {"v":1,"judge":"openai","url":"https://..","model":"..","key":"..","mode":"","headers":{"a":"b"},
//    "timeout_ms":1900,"state":"{..}","questions":[{"name":"..","instructions":"..","criteria":{}}]}
//   {"v":1,"answers":{"asks_approval":0.97},"model":"..","p_kind":"probability"}
//   {"v":1,"error":{"kind":"auth","message":".."}}
struct PipeRequest {
  JudgeSettings settings;
  Request request;
  base::Milliseconds timeout{0};  // for everything, from when the child has read it
};

[[nodiscard]] std::string encode_request(const PipeRequest& request);
// invalid: not this shape, over kMaxJudgeRequestBytes.
[[nodiscard]] base::Result<PipeRequest> decode_request(std::string_view bytes);

[[nodiscard]] std::string encode_result(const JudgeResult& result);
// Anything that is not this shape is malformed_response.
[[nodiscard]] JudgeResult decode_result(std::string_view bytes);

}  // namespace robot_council::stops
