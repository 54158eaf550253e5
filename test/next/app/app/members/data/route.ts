import { requireSession } from '../../../auth'

export const GET = requireSession((request) =>
  Response.json({ name: request.auth.user?.name, word: 'swordfish' }),
)
export const POST = GET
