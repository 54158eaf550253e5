export { default } from '@latchkey/worker/providers/credentials'
