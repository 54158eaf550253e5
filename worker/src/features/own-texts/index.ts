import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../errors.js'
import type { Copy } from '../../languages/own-texts.js'
import type { Table } from '../../languages/texts.js'
import type { Feature } from '../../service/feature.js'
import type { AuthConfig, Environment } from '../../types.js'
import { readCopy } from './read-copy.js'

/** Texts of pages and mails are the app's own, by `theme.copy` (docs/languages.md). */
export const ownTexts: Feature = {
  name: 'own-texts',
  ports: { ownTexts: readOwnTexts },
}

/** The app's own texts. @throws {InvalidConfiguration} naming the text, or the parameter */
function readOwnTexts(config: AuthConfig, env: Environment, english: Table): Copy | undefined {
  const variable = config.theme?.copy === undefined ? textOf(env, 'AUTH_THEME_COPY') : undefined
  const refuse = (message: string): never => {
    const source = variable === undefined ? 'theme.copy' : 'AUTH_THEME_COPY'
    throw new InvalidConfiguration(source + message)
  }
  const copy = variable === undefined ? config.theme?.copy : parseJson(variable)
  return copy === undefined && variable === undefined ? undefined : readCopy(copy, english, refuse)
}

/** @returns `undefined`: it is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
