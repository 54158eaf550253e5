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
    finding(
      'turnstile-half',
      placeOf(deployment, name),
      `Turnstile has one of its two keys: ${name} is missing.`,
      'The service refuses to start with half of it.',
      `${name}=<key>`,
    ),
  ]
}

const testKey: Rule = (deployment) => {
  const { variables } = deployment
  if (!publicUrl(variables)) return []
  return [SITE, SECRET]
    .filter((name) => TURNSTILE_TEST_KEY.test(textIn(variables, name) ?? ''))
    .map((name) =>
      finding(
        'turnstile-test-key',
        placeOf(deployment, name),
        `${name} is a key of Cloudflare's for tests, and AUTH_URL is not on this machine.`,
        'Turnstile lets every program through, or no person.',
        `${name}=<key of your widget>`,
      ),
    )
}

export const turnstile: readonly Rule[] = [half, testKey]
