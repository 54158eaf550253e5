import { finding } from '../finding.js'
import { mayBeSet, placeOf, type Rule, textIn } from '../read.js'
import { publicUrl } from './addresses.js'
import { TURNSTILE_TEST_KEY } from './secrets.js'

const SITE = 'AUTH_TURNSTILE_SITE_KEY'
const SECRET = 'AUTH_TURNSTILE_SECRET_KEY'

const half: Rule = (deployment) => {
  const names = [SITE, SECRET]
  const missing = names.filter((name) => !mayBeSet(deployment, name))
  const isSet = names.some((name) => textIn(deployment.variables, name) !== undefined)
  const [name] = missing
  if (!isSet || name === undefined) return []
  return [
    finding('turnstile-half', {
      where: placeOf(deployment, name),
      what: `Turnstile has one of its two keys: ${name} is missing.`,
      why: 'The service refuses to start with half of it.',
      fix: `${name}=<key>`,
    }),
  ]
}

const testKey: Rule = (deployment) => {
  const { variables } = deployment
  if (!publicUrl(variables)) return []
  return [SITE, SECRET]
    .filter((name) => TURNSTILE_TEST_KEY.test(textIn(variables, name) ?? ''))
    .map((name) =>
      finding('turnstile-test-key', {
        where: placeOf(deployment, name),
        what: `${name} is a key of Cloudflare's for tests, and AUTH_URL is not on this machine.`,
        why: 'Turnstile lets every program through, or no person.',
        fix: `${name}=<key of your widget>`,
      }),
    )
}

export const turnstile: readonly Rule[] = [half, testKey]
