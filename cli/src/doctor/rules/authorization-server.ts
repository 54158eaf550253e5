import { finding } from '../finding.js'
import { placeOf, type Rule } from '../read.js'

const FIRST_PARTY = /^(AUTH_APP_\w+)_FIRST_PARTY$/

const appResources: Rule = (deployment) => {
  const { variables } = deployment
  const textOf = (name: string) => String(variables.get(name)?.value ?? '')
  return [...variables.keys()].flatMap((name) => {
    const app = FIRST_PARTY.exec(name)?.[1]
    const list = `${app}_RESOURCES`
    if (app === undefined || textOf(name) !== 'true' || textOf(list) !== '') return []
    return finding('app-resources', {
      where: placeOf(deployment, list),
      what: `A first-party app lists no resources: ${list} is missing.`,
      why: "It gets OpenID's scopes alone, because no person is asked what it may have.",
      fix: `${list}='{ "https://<resource>/": true }'   # or {} for none`,
    })
  })
}

export const authorizationServer: readonly Rule[] = [appResources]
