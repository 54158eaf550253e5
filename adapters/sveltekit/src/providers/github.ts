export * from '@latchkey/worker/providers/github'
export { default } from '@latchkey/worker/providers/github'
