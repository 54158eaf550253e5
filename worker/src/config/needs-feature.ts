import { InvalidConfiguration } from '../errors.js'

/** The error of what needs a feature that is not there. */
export function needsFeature(what: string, feature: string): InvalidConfiguration {
  const name = feature.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  // The only one that is a function of its options.
  const value = feature === 'authorization-server' ? `${name}()` : 'it'
  return new InvalidConfiguration(
    `${what} needs a feature that is not there: import { ${name} } from '@latchkey/worker/features/${feature}', and list ${value} in features.`,
  )
}
