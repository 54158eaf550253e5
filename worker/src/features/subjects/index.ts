import type { Feature } from '../../service/feature.js'
import { ways } from '../ways/index.js'
import { holderBySubject } from './app-subject.js'
import { askSubject } from './ask-subject.js'
import { identifyByApp } from './identify-by-app.js'
import { isShared, resolveSubjects, type SubjectSettings } from './settings.js'

/** The app says which id of its own an account has: `subject` of the configuration (docs/accounts.md). */
export const subjects: Feature<SubjectSettings> = {
  name: 'subjects',
  needs: [ways],
  configure: resolveSubjects,
  signIn: { identify: identifyByApp },
  ports: {
    subjects: { ask: askSubject, holder: holderBySubject, isShared },
  },
}
