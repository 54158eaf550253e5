import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { Browser, configWith, errorOf, locationOf, origin } from '../test-support/browser.js'
import { providerAt, testIssuer } from '../test-support/issuer.js'

const { pass } = clock()
const issuer = await testIssuer('https://issuer.example', { alg: 'ES256' })

/** A started sign-in, the parameters that end it, and what the service logs. */
async function started() {
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const browser = new Browser(configWith({ providers: [providerAt(issuer)], logger }))
  const { searchParams } = await browser.start('test')
  const fields = { code: searchParams.get('nonce') ?? '', state: searchParams.get('state') ?? '' }
  const said = () => errors.map(({ message }) => message)
  return { browser, fields, said }
}

/** A provider posts from its own site, and browsers then send no `Lax` cookie. */
const fromAnotherSite = {
  cookie: '',
  origin: 'https://issuer.example',
  'sec-fetch-site': 'cross-site',
}
const callback = '/auth/callback/test'
const again = '/auth/signin InvalidCheck'

it('a sign-in that starts has the registered redirect URI, and the log says where and when', async () => {
  const lines: unknown[][] = []
  const logger = { debug: (...line: unknown[]) => void lines.push(line) }
  const config = configWith({ providers: [providerAt(issuer)], logger, debug: true })
  const { searchParams } = await new Browser(config).start('test')
  expect(searchParams.get('redirect_uri')).toBe(`${origin}${callback}`)
  const at = Math.floor(Date.now() / 1000)
  expect(lines).toContainEqual(['sign-in started', { provider: 'test', at }])
})

describe('the log says why a callback is refused', () => {
  it('since it was not started in this browser', async () => {
    const { browser, fields, said } = await started()
    browser.jar.clear()
    const answer = await browser.get(`${callback}?${new URLSearchParams(fields)}`)
    expect(errorOf(answer)).toBe(again)
    expect(said()).toEqual(['The sign-in was not started in this browser, or too long ago.'])
  })

  it('since a parameter came twice, and then nothing is used up', async () => {
    const { browser, fields, said } = await started()
    const query = new URLSearchParams(fields)
    for (const name of ['code', 'state', 'error', 'scope']) {
      const twice = `${query}&${name}=x&${name}=x`
      expect(errorOf(await browser.get(`${callback}?${twice}`))).toBe(again)
    }
    expect(new Set(said())).toEqual(new Set(['The answer has a parameter twice.']))
    expect(locationOf(await browser.get(`${callback}?${query}`))).toBe(`${origin}/inbox`)
  })

  it('since it was finished before', async () => {
    const { browser, fields, said } = await started()
    const { cookie } = browser
    const path = `${callback}?${new URLSearchParams(fields)}`
    expect(locationOf(await browser.get(path))).toBe(`${origin}/inbox`)
    expect(errorOf(await browser.get(path, { cookie }))).toBe(again)
    expect(said()).toEqual(['The sign-in was finished before.'])
  })

  it('since the posted answer does not fit into a URL', async () => {
    const { browser, fields, said } = await started()
    const long = { ...fields, code: 'x'.repeat(20_000) }
    expect(errorOf(await browser.post(callback, long, fromAnotherSite))).toBe(again)
    expect(said()).toEqual(['The posted response is too long.'])
  })
})

describe('an answer that is posted', () => {
  it.each([
    [59, `${origin}/inbox`],
    [60, `${origin}/auth/signin?error=InvalidCheck`],
  ])('and comes back after %i seconds leads to %s', async (seconds, target) => {
    const { browser, fields } = await started()
    const bounced = locationOf(await browser.post(callback, fields, fromAnotherSite))
    expect(bounced).toMatch(`${origin}${callback}?posted=`)
    pass(seconds)
    const [page] = locationOf(await browser.get(bounced.replace(origin, ''))).split('&')
    expect(page).toBe(target)
  })

  it('has no files', async () => {
    const { browser, fields } = await started()
    const body = new FormData()
    body.set('state', fields.state)
    body.set('code', new File(['x'], fields.code))
    const answer = await browser.send(callback, { method: 'POST', body })
    expect(answer.status).toBe(415)
    expect(await browser.session()).toBeNull()
  })

  it('has only texts: a list is not a code, and an object is not an error', async () => {
    const post = (
      { browser, fields }: Awaited<ReturnType<typeof started>>,
      changes: Record<string, unknown>,
    ) =>
      browser.send(callback, {
        method: 'POST',
        body: JSON.stringify({ ...fields, ...changes }),
        headers: { 'content-type': 'application/json' },
      })
    const listed = await started()
    const answer = await post(listed, { code: [listed.fields.code] })
    expect(locationOf(answer)).toContain('/auth/')
    expect(await listed.browser.session()).toBeNull()
    const finished = await post(await started(), { error: {} })
    expect(locationOf(finished)).toBe(`${origin}/inbox`)
  })

  it('is not put off by a browser that says it looks ahead, which posts nothing', async () => {
    const { browser, fields } = await started()
    const answer = await browser.post(callback, fields, { 'sec-purpose': 'prefetch' })
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
  })
})
