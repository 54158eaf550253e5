export * from '@latchkey/worker/providers/slack'
export { default } from '@latchkey/worker/providers/slack'
