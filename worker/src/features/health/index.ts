import type { Feature } from '../../service/feature.js'
import { health as route } from './route.js'

/** `GET /health`: does the store answer? For load balancers and supervisors (docs/deploy-node.md). */
export const health: Feature = {
  name: 'health',
  pages: { routes: { '/health': { GET: route, isData: true } } },
}
