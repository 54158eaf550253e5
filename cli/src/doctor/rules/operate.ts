import { importUntil, readOperatorKeys, readWebhook } from '@latchkey/worker/migrate'
import { finding } from '../finding.js'
import { environmentOf, mayBeSet, placeOf, type Rule, textIn } from '../read.js'

const importOpen: Rule = (deployment, now) => {
  const { variables } = deployment
  if (!isImportOpen(environmentOf(variables), now)) return []
  return [
    finding('import-open', {
      where: placeOf(deployment, 'AUTH_IMPORT_UNTIL'),
      what: 'AUTH_IMPORT_UNTIL is in the future: accounts may be imported.',
      why: 'Until then, anybody who has AUTH_SECRET can add accounts.',
      fix: 'remove AUTH_IMPORT_UNTIL when all accounts are there',
    }),
  ]
}

function isImportOpen(env: Readonly<Record<string, unknown>>, now: number): boolean {
  try {
    return (importUntil(env, now) ?? now) > now
  } catch {
    // `variable-invalid` says so.
    return false
  }
}

const operatorKey: Rule = (deployment) => {
  const list = textIn(deployment.variables, 'AUTH_OPERATOR_KEYS')
  const entries = list?.split(',') ?? []
  return readOperatorKeys(list).bad.map((place) => {
    const isKey = entries[place - 1]?.includes('lkop_')
    return finding('operator-key', {
      where: placeOf(deployment, 'AUTH_OPERATOR_KEYS'),
      what: isKey
        ? `Entry ${place} of AUTH_OPERATOR_KEYS is a key in the clear.`
        : `Entry ${place} of AUTH_OPERATOR_KEYS is malformed.`,
      why: isKey
        ? 'It opens nothing, and everybody who reads the variable has the key: make a new one.'
        : 'It opens nothing: an entry is <name>:<scope>:<hash>.',
      fix: 'npx latchkey secret operator <name>   # prints a key, and the entry for the list',
    })
  })
}

const webhook: Rule = (deployment) => {
  const { variables } = deployment
  const isSet = (name: string) => textIn(variables, name) !== undefined
  const names = ['AUTH_WEBHOOK_URL', 'AUTH_WEBHOOK_SECRET']
  const [absent] = names.filter((name) => !mayBeSet(deployment, name))
  const isHalf = names.some(isSet) && absent !== undefined
  // Each one is read beside good ones: what is missing may be a secret of the platform.
  const good = { AUTH_WEBHOOK_URL: GOOD_URL, AUTH_WEBHOOK_SECRET: GOOD_SECRET }
  const malformed = [...names, 'AUTH_WEBHOOK_EVENTS']
    .filter(isSet)
    .filter((name) => !isRead({ ...good, [name]: textIn(variables, name) }))
  return [
    ...(isHalf ? [webhookFault(deployment, absent, `${absent} is missing.`)] : []),
    ...malformed.map((name) => webhookFault(deployment, name, `${name} is malformed.`)),
  ]
}

const GOOD_URL = 'https://example.com/'
const GOOD_SECRET = `whsec_${'A'.repeat(32)}`

function isRead(env: Readonly<Record<string, unknown>>): boolean {
  try {
    readWebhook(env)
    return true
  } catch {
    return false
  }
}

const FIXES: Readonly<Record<string, string>> = {
  AUTH_WEBHOOK_URL: 'AUTH_WEBHOOK_URL=https://<host>/<path>',
  AUTH_WEBHOOK_SECRET: 'npx latchkey secret webhook   # the value of AUTH_WEBHOOK_SECRET',
  AUTH_WEBHOOK_EVENTS: 'AUTH_WEBHOOK_EVENTS=<names of events, with commas>',
}

function webhookFault(deployment: Parameters<Rule>[0], name: string, what: string) {
  const why = 'The service refuses to start: no message would be sent, or none could be verified.'
  return finding('webhook', {
    where: placeOf(deployment, name),
    what,
    why,
    fix: FIXES[name] ?? name,
  })
}

export const operate: readonly Rule[] = [importOpen, operatorKey, webhook]
