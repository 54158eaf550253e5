export { default } from '@latchkey/worker/providers/from-hono'
