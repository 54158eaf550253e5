// find-person.ts
import { createHmac, hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** @param secret the one that signs: the `AUTH_SECRET_…` with the highest number, or the first of an array */
export function personInLog(secret: string, sub: string): string {
  const key = hkdfSync('sha256', secret, '', 'latchkey/log/hmac-sha256/v1', 32)
  const digest = createHmac('sha256', new Uint8Array(key)).update(sub).digest()
  return digest.subarray(0, 16).toString('base64url')
}

const [, file = '', person] = process.argv
if (file.endsWith('find-person.ts')) {
  for (const sub of new Set(readFileSync(0, 'utf8').match(/[^\s":,]+/g))) {
    if (personInLog(process.env.AUTH_SECRET ?? '', sub) === person) console.log(sub)
  }
}
