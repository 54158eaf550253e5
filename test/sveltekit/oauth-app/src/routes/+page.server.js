import { browsers } from '../client.server.js'

export function load({ cookies }) {
  return { user: browsers.get(cookies.get('app'))?.user ?? null }
}
