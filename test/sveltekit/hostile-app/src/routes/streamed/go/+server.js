import { go } from '../answered.js'

export function GET() {
  go()
  return new Response(null, { status: 204 })
}
