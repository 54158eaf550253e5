import { InvalidConfiguration } from '../errors.js'
import { FUNCTIONS } from './manifests.js'

/** The error of what needs a feature that is not there. */
export function needsFeature(what: string, feature: string): InvalidConfiguration {
  const name = feature.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const value = FUNCTIONS.includes(feature) ? `${name}()` : 'it'
  return new InvalidConfiguration(
    `${what} needs a feature that is not there: import { ${name} } from '@latchkey/worker/features/${feature}', and list ${value} in features.`,
  )
}

/** The error of a method whose feature is there, and which the configuration has not turned on. */
export function isOff(method: string, feature: string): InvalidConfiguration {
  return new InvalidConfiguration(`${method}() belongs to the feature "${feature}", which is off.`)
}
