//===- SpyreOpOps.td - Everything the spyreop dialect defines -*- tablegen -*-===//

#ifndef KTIR_SPYREOP_OPS_TD
#define KTIR_SPYREOP_OPS_TD

include "spyreop/SpyreOpNumberOps.td"
include "spyreop/SpyreOpNormOps.td"

#endif // KTIR_SPYREOP_OPS_TD
