import { expect, it } from 'vitest'
import { privateHeader } from './finish-response.js'

it.each<[name: string, value: string, sent: string | undefined]>([
  ['Cache-Control', 'public, max-age=60', 'private, no-store'],
  ['cache-control', '', 'private, no-store'],
  ['CACHE-CONTROL', 'private="set-cookie"', 'private, no-store'],
  ['cache-control', 'max-age=60, x="private"', 'private, no-store'],
  ['cache-control', 'Private, max-age=60', 'Private, max-age=60'],
  ['cache-control', 'no-store', 'no-store'],
  ['CDN-Cache-Control', 'max-age=60', undefined],
  ['vercel-cdn-cache-control', 'max-age=60', undefined],
  ['Surrogate-Control', 'max-age=60', undefined],
  ['surrogate-control', 'no-store', 'no-store'],
  ['x-accel-expires', '60', undefined],
  ['content-type', 'public', 'public'],
])(
  'attack: a shared cache is told to keep a cookie: %s with “%s” is sent as %j',
  (name, value, sent) => {
    expect(privateHeader(name, value)).toBe(sent)
  },
)
