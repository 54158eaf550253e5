import { finding } from '../finding.js'
import { placeOf, type Rule, textIn } from '../read.js'
import { isAbove, ownUrl } from './addresses.js'

const domain: Rule = (deployment) => {
  const { variables } = deployment
  const id = textIn(variables, 'AUTH_PASSKEY_RP_ID')
  const host = ownUrl(variables)?.hostname
  if (id === undefined || host === undefined || (!id.startsWith('.') && isAbove(id, host)))
    return []
  return [
    finding('passkey-domain', {
      where: placeOf(deployment, 'AUTH_PASSKEY_RP_ID'),
      what: `AUTH_PASSKEY_RP_ID is neither ${host}, the host of AUTH_URL, nor a domain above it.`,
      why: 'Browsers refuse every passkey there.',
      fix: `AUTH_PASSKEY_RP_ID=${host}`,
    }),
  ]
}

export const passkeys: readonly Rule[] = [domain]
