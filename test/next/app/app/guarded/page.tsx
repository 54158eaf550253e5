import { headers } from 'next/headers'

/** It asks nobody: the proxy is its guard. */
export default async function Guarded() {
  await headers()
  return <p>The word behind the proxy is swordfish.</p>
}
