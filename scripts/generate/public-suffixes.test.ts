import { isPublicSuffix, parseOriginPattern } from '@latchkey/host/shared'
import { expect, test } from 'vitest'
import { suffixRules } from './public-suffixes.ts'

test('attack: no suffix of the Public Suffix List, private or not, passes as a wildcard', () => {
  const rules = suffixRules()
  expect(rules.length).toBeGreaterThan(8_000)
  const hosts = rules
    .filter((rule) => !rule.startsWith('!'))
    .map((rule) => rule.replace(/^\*/, 'some-name'))
  expect(hosts.filter(isAccepted)).toEqual([])
})

test('fewer than one in a thousand names that are not a suffix are taken for one', () => {
  const hosts = Array.from({ length: 20_000 }, (_, at) => `project-${at}.example-${at}.com`)
  expect(hosts.filter((host) => !isAccepted(host)).length).toBeLessThan(20)
})

function isAccepted(host: string): boolean {
  try {
    return parseOriginPattern(`https://*.${host}`, isPublicSuffix).subdomains
  } catch {
    return false
  }
}
