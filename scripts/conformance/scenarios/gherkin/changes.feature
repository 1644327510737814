@events
Feature: Changes of a server

  Background:
    Given a stable provider

  @configuration-change
  Scenario: A change arrives
    Given a String-flag with key "moving" and a default value "none"
    And a change event handler
    When the flag was evaluated with details
    And the resolved value is remembered
    And the flag was modified
    Then the change event handler should have been executed
    When the flag was evaluated with details
    Then the resolved details value should have changed
    And no exception should have been thrown

  Scenario: A server that is gone and comes back
    Given a String-flag with key "moving" and a default value "none"
    When the connection is lost
    And the flag was evaluated with details
    Then the resolved details value should be "left"
    And no exception should have been thrown
    When the connection is restored
    And a change event handler
    And the flag was modified
    Then the change event handler should have been executed
    When the flag was evaluated with details
    Then the resolved details value should be "right"
