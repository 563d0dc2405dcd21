//===- KtdpOps.td - Everything the ktdp dialect defines -------*- tablegen -*-===//

#ifndef KTIR_KTDP_OPS_TD
#define KTIR_KTDP_OPS_TD

include "ktdp/KtdpViewOps.td"
include "ktdp/KtdpAccessOps.td"
include "ktdp/KtdpInterTileOps.td"

#endif // KTIR_KTDP_OPS_TD
