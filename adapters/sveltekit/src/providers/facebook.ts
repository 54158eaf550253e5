export * from '@latchkey/worker/providers/facebook'
export { default } from '@latchkey/worker/providers/facebook'
