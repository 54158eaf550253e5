import { finding } from '../finding.js'
import { placeOf, type Rule, textIn } from '../read.js'
import { addressOf, isLocal, publicUrl } from './addresses.js'

const NAMES = ['AUTHORIZATION', 'TOKEN', 'USERINFO'].map((name) => `AUTH_VIDEO_${name}_URL`)

const left: Rule = (deployment) => {
  const { variables } = deployment
  if (!publicUrl(variables)) return []
  return NAMES.filter((name) => {
    const url = addressOf(textIn(variables, name)?.split(/[?#]/)[0])
    return url && isLocal(url)
  }).map((name) =>
    finding('sandbox-left', {
      where: placeOf(deployment, name),
      what: `${name} names the sandbox on this machine, and AUTH_URL is not on this machine.`,
      why: 'People are sent to a server that their own machine does not have.',
      fix: `remove ${name}, or for your machine alone: AUTH_URL=http://localhost:8787`,
    }),
  )
}

export const sandbox: readonly Rule[] = [left]
