import { ROUTES } from '@latchkey/host/shared'
import { AuthError } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { holds } from '../support/holds.js'
import { type Allowed, expectSound } from '../support/sound-answer.js'
import { asked } from '../support/stranger.js'
import { Visit, type Visited } from '../support/visit.js'
import { bindings, service } from './support.js'

const origin = 'http://localhost:8787'

const allowed: Allowed = {
  own: (request) => [new URL(request.url).origin],
  trusted: /^$/,
  authorization: {
    videoapp: 'https://www.tiktok.com/v2/auth/authorize/',
    other: 'https://www.tiktok.com/v2/auth/authorize/',
  },
  cookies: [
    'auth.session-token',
    'auth.csrf-token',
    'auth.flow',
    'auth.device',
    'auth.locale',
    'auth.last-way',
  ],
  pictures: [videoapp().style?.logo ?? ''],
  scripts: 'of its policy',
}

/** Errors of people; any other one would be the operator's to mend. */
const OF_PEOPLE =
  /^(?:CredentialsSignin|OAuthCallbackError|AccessDenied|Verification|MissingCSRF|InvalidCheck|UnknownProvider|TooManyAttempts)$/

test('in workerd too every answer is sound, whatever a stranger sends', async () => {
  // Limits would answer most of what one network sends.
  const withoutLimits: object = { RATE_LIMIT: undefined }
  const { auth, env, sandbox, errors } = service({}, withoutLimits)
  const work: Promise<unknown>[] = []
  const waitUntil = (one: Promise<unknown>) => void work.push(one)
  const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
  let people = 0
  const visited: Visited = {
    send: (request) => auth.fetch(request, env, ctx),
    origin,
    issuer: `${origin}/auth`,
    secret: bindings.AUTH_SECRET,
    consent: async (url) => {
      const body = new URLSearchParams({ person: 'ada', decision: 'allow' })
      body.append('scope', 'user.info.profile')
      const answer = await sandbox.request(url, { method: 'POST', body })
      return new URL(answer.headers.get('location') ?? '')
    },
    somebody: () => `somebody-${++people}`,
  }
  const property = fc.asyncProperty(
    asked(ROUTES, ['videoapp', 'other', 'credentials']),
    async (sent) => {
      errors.length = 0
      const make = await new Visit(visited).request(sent)
      if (!make) return
      const requests = sent.isTwice ? [make(), make()] : [make()]
      const answers = await Promise.all(requests.map((request) => visited.send(request)))
      for (const [at, answer] of answers.entries()) {
        await expectSound(requests[at] as Request, answer, allowed)
      }
      await Promise.all(work.splice(0))
      const types = errors.map((error) => (error instanceof AuthError ? error.type : error.name))
      expect(types.filter((type) => !OF_PEOPLE.test(type))).toEqual([])
    },
  )
  await holds(100, property)
})
