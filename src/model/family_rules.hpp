// What single families do that no field of the table says. Each function is named in one entry of
// families.cpp, or in several.
#pragma once

#include <vector>

#include "model/family.hpp"

namespace roofline::model::rules {

/// `topk_method` says whether the choice of experts is corrected by a term for each.
void noaux_correction(const ConfigNode& config, Shapes& shapes, Architecture& model);
void minimax(const ConfigNode& config, Shapes& shapes, Architecture& model);
/// Three generations: one KV head, as many as query heads, or groups; one norm or two.
void falcon(const ConfigNode& config, Shapes& shapes, Architecture& model);
/// `multi_query`: one KV head.
void multi_query(const ConfigNode& config, Shapes& shapes, Architecture& model);
void opt(const ConfigNode& config, Shapes& shapes, Architecture& model);
void starcoder2(const ConfigNode& config, Shapes& shapes, Architecture& model);
/// Attention and MLP side by side share a norm.
void stablelm(const ConfigNode& config, Shapes& shapes, Architecture& model);

/// `block_configs` states each layer; blocks may be missing.
[[nodiscard]] std::vector<Layer> nemotron_layers(const ConfigNode& config, const Shapes& shapes);

}  // namespace roofline::model::rules
