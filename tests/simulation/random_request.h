#pragma once
#include "dice.h"
#include "troupe/api/request.h"

namespace troupe::simulation {

SamplingParams random_sampling(Dice& dice, std::int32_t vocab_size);
StopParams random_stop(Dice& dice, std::int32_t vocab_size);
/// Whom the request shares the pool and cached blocks with.
void random_sharing(Dice& dice, Request& request);

}  // namespace troupe::simulation
