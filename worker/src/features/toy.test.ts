import { expect, it } from 'vitest'
import { createAuth } from '../core.js'
import { AccessDenied } from '../errors.js'
import { json, redirect } from '../http/outcome.js'
import { answerPost } from '../http/post.js'
import { ownPage } from '../http/targets.js'
import { html } from '../pages/markup.js'
import type { Feature } from '../service/feature.js'
import { signedIn } from '../session/read.js'
import { Browser, configWith, locationOf } from '../test-support/browser.js'
import { accountsAt } from '../test-support/people.js'
import { account } from './account/index.js'

const favorites = new Map<string, string>()

/** A capability that no package has: people have a favorite color. */
const colors: Feature<{ readonly favorite: string }> = {
  name: 'colors',
  configure: (_config, { env }) => ({ favorite: String(env.TEST_COLOR ?? 'green') }),
  pages: {
    routes: {
      '/color': {
        async GET(request) {
          const claims = await signedIn(request)
          const { favorite } = request.features.settings<{ favorite: string }>('colors') ?? {}
          if (!claims) return json({ error: 'SignedOut' }, 401)
          return json({ favorite: favorites.get(claims.sub) ?? favorite })
        },
        // `answerPost` refuses forms of other sites.
        POST: (request) =>
          answerPost(request, async ({ fields, callbackUrl }) => {
            const claims = await signedIn(request)
            if (!claims) return json({ error: 'SignedOut' }, 401)
            favorites.set(claims.sub, String(fields.favorite))
            return redirect(callbackUrl ?? ownPage(request, `${request.issuer}/account/colors`))
          }),
        isData: true,
      },
    },
    account: {
      name: 'colors',
      title: () => 'Colors',
      show: async (_request, _claims, { base, csrfToken, back }) => html`
        <p>Your color is green.</p>
        <form method="post" action="${base}/color">
          <input type="hidden" name="csrfToken" value="${csrfToken}"/>
          <input type="hidden" name="callbackUrl" value="${back}"/>
          <input name="favorite"/>
        </form>`,
    },
  },
  ports: {
    guard: {
      codes: [],
      async check(_request, { color }) {
        if (color !== 'green') throw new AccessDenied('A form names no color.')
      },
      field: () => html`<input type="hidden" name="color" value="green"/>`,
      scripts: () => [],
    },
  },
}

it('a feature is one value: a route, a section of the account page and a guard', async () => {
  const config = configWith({ providers: [accountsAt('one')], features: [account, colors] })
  const auth = createAuth(config)
  const ada = new Browser(config, { answer: (request) => auth.fetch(request) })
  expect((await ada.get('/auth/color')).status).toBe(401)
  await ada.signIn('one', 'ada')
  expect(await (await ada.get('/auth/color')).json()).toEqual({ favorite: 'green' })
  expect(await (await ada.get('/auth/account/colors')).text()).toContain('Your color is green.')
  expect(await (await ada.get('/auth/account')).text()).toContain('href="/auth/account/colors"')
  const form = { color: 'green', favorite: 'blue', callbackUrl: '/auth/account/colors' }
  expect(locationOf(await ada.submit('/auth/color', form))).toMatch(/\/auth\/account\/colors$/)
  expect(await (await ada.get('/auth/color')).json()).toEqual({ favorite: 'blue' })
  expect((await ada.post('/auth/color', form)).status).toBe(403)
})
