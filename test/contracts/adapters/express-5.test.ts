import { versions } from '../../express/support.ts'
import { expressContract } from './express.ts'

for (const version of versions) if (version.name === 'Express 5') expressContract(version)
