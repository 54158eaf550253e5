import { MiddlewareAuth } from '@latchkey/express'
import github from '@latchkey/express/providers/github'
import { postgresStore } from '@latchkey/worker/stores/postgres'
import { Pool } from 'pg'

const store = postgresStore(new Pool({ connectionString: process.env.DATABASE_URL }))
export const auth = MiddlewareAuth({ providers: [github()], store })
