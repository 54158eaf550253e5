import { listProviders } from '../../providers.server.ts'
import type { PageServerLoad } from './$types'

export const load: PageServerLoad = async ({ fetch }) => ({
  title: 'Client',
  providers: await listProviders(fetch),
})
