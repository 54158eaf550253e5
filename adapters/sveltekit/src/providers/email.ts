export { default } from '@latchkey/worker/providers/email'
