import { requireSession } from '../../../auth'

export const GET = requireSession((request) => Response.json(request.auth.user))
