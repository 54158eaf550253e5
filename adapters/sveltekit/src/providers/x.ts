export * from '@latchkey/worker/providers/x'
export { default } from '@latchkey/worker/providers/x'
