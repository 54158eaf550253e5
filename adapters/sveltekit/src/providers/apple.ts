export * from '@latchkey/worker/providers/apple'
export { default } from '@latchkey/worker/providers/apple'
