import { describe, expect, it } from 'vitest'
import { inEnglish } from '../test-support/english.js'
import { deviceOf, kindOfDevice, nameOfDevice } from './device.js'

const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const chromium = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0'

describe('the name of a device', () => {
  it.each([
    ['Firefox on Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Firefox/144.0'],
    [
      'Chrome on macOS',
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chromium} Safari/537.36`,
    ],
    ['Edge on Windows', `Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36 Edg/142.0.0.0`],
    ['Opera on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${chromium} Safari/537.36 OPR/124.0.0.0`],
    ['Chrome on Android', `Mozilla/5.0 (Linux; Android 15; K) ${chromium} Mobile Safari/537.36`],
    [
      'Samsung Internet on Android',
      `Mozilla/5.0 (Linux; Android 15) SamsungBrowser/28.0 ${chromium} Mobile Safari/537.36`,
    ],
    ['Safari on macOS', `Mozilla/5.0 (Macintosh; Intel Mac OS X) ${apple} Version/18.1 Safari/605`],
    [
      'Safari on iPhone',
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${apple} Version/18.1 Safari/604.1`,
    ],
    [
      'Chrome on iPad',
      `Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) ${apple} CriOS/142.0 Safari/6`,
    ],
    ['Firefox on iPhone', `Mozilla/5.0 (iPhone; like Mac OS X) ${apple} FxiOS/144.0 Safari/605.1`],
    ['Chrome on ChromeOS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chromium} Safari/537.36`],
    ['Linux', 'Mozilla/5.0 (X11; Linux x86_64) Something/1.0'],
    ['Unknown device', 'curl/8.17.0'],
    ['Unknown device', ''],
    ['Unknown device', '"><script>alert(1)</script>'],
  ])('%s', (name, userAgent) => {
    expect(nameOfDevice({ userAgent }, inEnglish)).toBe(name)
  })

  // A search in quadratic time would take many minutes.
  it('is found quickly also in a hostile user agent', () => {
    const headers = { 'user-agent': 'Version/1 '.repeat(200_000) }
    const device = deviceOf(new Request('https://x.example', { headers }))
    expect(nameOfDevice(device, inEnglish)).toBe('Unknown device')
  })
})

describe('the kind of a device', () => {
  it.each([
    ['phone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Mobile/15E148'],
    ['phone', `Mozilla/5.0 (Linux; Android 15; K) ${chromium} Mobile Safari/537.36`],
    ['phone', 'Mozilla/5.0 (Android 15; Mobile; rv:144.0) Gecko/144.0 Firefox/144.0'],
    ['tablet', 'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) Mobile/15E148'],
    ['tablet', `Mozilla/5.0 (Linux; Android 15; K) ${chromium} Safari/537.36`],
    ['laptop', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'],
    ['laptop', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Firefox/144.0'],
    ['laptop', 'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)'],
    ['laptop', 'Mozilla/5.0 (X11; Linux x86_64) Something/1.0'],
    ['unknown', 'curl/8.17.0'],
    ['unknown', 'Mobile'],
    ['unknown', ''],
  ])('%s', (kind, userAgent) => {
    expect(kindOfDevice({ userAgent })).toBe(kind)
  })
})

describe('the device of a request', () => {
  const request = (headers: Record<string, string>, cf?: unknown) =>
    Object.assign(new Request('https://x.example', { headers }), { cf })

  it('is empty outside Cloudflare and without a user agent', () => {
    expect(deviceOf(request({}))).toEqual({})
    for (const cf of [null, {}, { city: '', country: '' }, { city: 5, country: ['DE'] }]) {
      expect(deviceOf(request({}, cf ?? undefined))).toEqual({})
    }
  })

  it('has town and country, from Cloudflare', () => {
    expect(deviceOf(request({}, { city: 'São Paulo', country: 'BR' }))).toEqual({
      place: 'São Paulo, BR',
    })
    expect(deviceOf(request({}, { country: 'T1' }))).toEqual({ place: 'T1' })
  })

  it('is short, and one line of plain text', () => {
    const { userAgent = '', place = '' } = deviceOf(
      request({ 'user-agent': `\u00e9${'x'.repeat(10_000)}` }, { city: 'y'.repeat(10_000) }),
    )
    expect([userAgent.length, place.length]).toEqual([200, 100])
    expect(userAgent).toMatch(/^[\x20-\x7e]+$/)
  })
})
