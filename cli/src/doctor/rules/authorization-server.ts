import { finding } from '../finding.js'
import { placeOf, type Rule } from '../read.js'

const LISTING = /^(AUTH_APP_\w+)_(FIRST_PARTY|MACHINE)$/

const appResources: Rule = (deployment) => {
  const { variables } = deployment
  const textOf = (name: string) => String(variables.get(name)?.value ?? '')
  return [...variables.keys()].flatMap((name) => {
    const [, app, kind] = LISTING.exec(name) ?? []
    const list = `${app}_RESOURCES`
    if (app === undefined || textOf(name) !== 'true' || textOf(list) !== '') return []
    return finding('app-resources', {
      where: placeOf(deployment, list),
      what: `A ${kind === 'MACHINE' ? 'machine' : 'first-party app'} lists no resources: ${list} is missing.`,
      why:
        kind === 'MACHINE'
          ? 'It gets no token, because no person is asked what it may have.'
          : "It gets OpenID's scopes alone, because no person is asked what it may have.",
      fix: `${list}='{ "https://<resource>/": true }'   # or {} for none`,
    })
  })
}

export const authorizationServer: readonly Rule[] = [appResources]
