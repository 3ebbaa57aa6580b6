#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kubeapi/request.h"

// Requests by which the API server reviews who somebody is, and what he may do (API-28, API-38,
// API-40).

namespace berth::kubeapi {

Request token_review(const std::string& token);

// Whether a user may do this. `user`: as a TokenReview describes him. `attributes`: those of a path
// ("nonResourceAttributes"), or of an object ("resourceAttributes").
Request access_review(const nlohmann::json& user, const char* about,
                      const nlohmann::ordered_json& attributes);
// Whether berthd may do this to an object.
Request self_access_review(const nlohmann::ordered_json& attributes);
// The answer to either; none: it does not say.
std::optional<bool> allowed_by(const Response& answer);

}  // namespace berth::kubeapi
