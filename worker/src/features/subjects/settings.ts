import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { AuthConfig } from '../../types.js'

/** How the app gives ids of its own. */
export interface SubjectSettings {
  readonly subject: NonNullable<AuthConfig['subject']>
  /** May accounts with the same id be one person? */
  readonly isShared: boolean
}

/** @returns `undefined`: the app gives none @throws {InvalidConfiguration} without it people would get other ids */
export function resolveSubjects({
  subject,
  sharedSubjects: isShared = false,
}: AuthConfig): SubjectSettings | undefined {
  if (subject !== undefined && typeof subject !== 'function')
    throw new InvalidConfiguration('subject must be a function.')
  if (typeof isShared !== 'boolean')
    throw new InvalidConfiguration('sharedSubjects must be true or false.')
  return subject && { subject, isShared }
}

export function subjectSettings({ features }: AuthRequest): SubjectSettings | undefined {
  return features.settings<SubjectSettings>('subjects')
}

/** May accounts with the same id be one person? */
export function isShared(request: AuthRequest): boolean {
  return subjectSettings(request)?.isShared === true
}
