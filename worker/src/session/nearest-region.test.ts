import { expect, it } from 'vitest'
import { nearestRegion } from './nearest-region.js'

const from = (cf: object) => nearestRegion(Object.assign(new Request('https://a.test'), { cf }))

it.each([
  ['NA', '-122.4', 'wnam'],
  ['NA', '-74.0', 'enam'],
  ['SA', '-46.6', 'sam'],
  ['EU', '2.35', 'weur'],
  ['EU', '21.0', 'eeur'],
  ['AF', '3.4', 'afr'],
  ['AS', '55.3', 'me'],
  ['AS', '139.7', 'apac'],
  ['OC', '151.2', 'oc'],
  ['OC', '', 'oc'],
  ['EU', undefined, 'weur'],
  ['AN', '0', undefined],
  ['T1', undefined, undefined],
  ['constructor', '1', undefined],
])('%s at %s is nearest to %s', (continent, longitude, region) => {
  expect(from({ continent, longitude })).toBe(region)
})

it('is missing if Cloudflare says nothing', () => {
  expect(nearestRegion(new Request('https://a.test'))).toBeUndefined()
})
