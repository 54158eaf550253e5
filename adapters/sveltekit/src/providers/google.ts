export * from '@latchkey/worker/providers/google'
export { default } from '@latchkey/worker/providers/google'
