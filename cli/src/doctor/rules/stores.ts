import { finding } from '../finding.js'
import { type Deployment, isApp, placeOf, type Rule, textIn } from '../read.js'

/** Does an app on Node keep everything in its memory, as far as its variables tell? Its code may set `store`. */
function isInMemory(deployment: Deployment): boolean {
  const { variables, wrangler, file, isWhole } = deployment
  if (wrangler || !file || !isWhole || isApp(deployment)) return false
  return textIn(variables, 'AUTH_STORE') === undefined
}

const FIX = 'AUTH_STORE=file:<path>   # or postgres://…, redis://…'

const memory: Rule = (deployment) => {
  if (textIn(deployment.variables, 'NODE_ENV') !== 'production' || !isInMemory(deployment))
    return []
  return [
    finding('memory-store', {
      where: placeOf(deployment, 'AUTH_STORE'),
      what: 'NODE_ENV is production, and AUTH_STORE is missing.',
      why: 'Unless your code sets `store`, a restart loses sessions, and the passwords, passkeys, second factors, added ways and blocks that there are.',
      fix: FIX,
    }),
  ]
}

const audit: Rule = (deployment) => {
  const names = ['AUTH_AUDIT_DAYS', 'AUTH_WEBHOOK_URL']
  const name = names.find((one) => textIn(deployment.variables, one) !== undefined)
  if (name === undefined || !isInMemory(deployment)) return []
  return [
    finding('audit-store', {
      where: placeOf(deployment, name),
      what: `${name} is set, and AUTH_STORE is missing.`,
      why: 'Unless your code sets `store`, every auth route answers 500: the audit log needs a store that lasts.',
      fix: FIX,
    }),
  ]
}

export const stores: readonly Rule[] = [memory, audit]
