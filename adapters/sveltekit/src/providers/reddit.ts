export * from '@latchkey/worker/providers/reddit'
export { default } from '@latchkey/worker/providers/reddit'
