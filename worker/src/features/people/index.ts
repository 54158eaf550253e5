import type { Feature } from '../../service/feature.js'
import { connections } from '../connections/index.js'
import { ways } from '../ways/index.js'
import { erasePerson, goOnErasing } from './erase.js'
import { exportPerson } from './export.js'

/** All that is kept of a person is exported or erased (GDPR, articles 15 and 17). */
export const people: Feature = {
  name: 'people',
  needs: [ways, connections],
  person: { goOnErasing },
  operator: { operations: { deletePerson: erasePerson, exportPerson } },
}
