import { InvalidConfiguration } from '../errors.js'

/** The error of what needs a feature that is not there. */
export function needsFeature(what: string, feature: string): InvalidConfiguration {
  const name = feature.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  // These are functions of their options.
  const isFunction = feature === 'authorization-server' || feature === 'operate'
  const value = isFunction ? `${name}()` : 'it'
  return new InvalidConfiguration(
    `${what} needs a feature that is not there: import { ${name} } from '@latchkey/worker/features/${feature}', and list ${value} in features.`,
  )
}

/** The error of a method whose feature is there, and which the configuration has not turned on. */
export function isOff(method: string, feature: string): InvalidConfiguration {
  return new InvalidConfiguration(`${method}() belongs to the feature "${feature}", which is off.`)
}
